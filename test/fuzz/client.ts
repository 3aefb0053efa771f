import { Agent, request as send } from 'node:http'
import type { FuzzRequest } from './calls.ts'

export interface FuzzAnswer {
  status: number
  headers: Record<string, string | undefined>
  text: string
  /** When it had arrived, in unix milliseconds. */
  at: number
}

const ANSWER_WITHIN_MS = 30_000

/** Sends requests as they are: odd methods, paths and headers, each header as often as it is given. */
export class FuzzClient {
  readonly #base: URL
  readonly #agent = new Agent({ keepAlive: true })

  constructor(baseUrl: string) {
    this.#base = new URL(baseUrl)
  }

  send({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    return new Promise((resolve, reject) => {
      const { hostname, port, host } = this.#base
      const named = new Set(headers.map(([name]) => name))
      const all = [
        ...(named.has('host') ? [] : [['host', host]]),
        ...(body === null ? [] : [['content-length', String(body.length)]]),
        ...headers,
      ].flat()
      const options = { hostname, port, method, path, headers: all, agent: this.#agent }
      const sent = send({ ...options, timeout: ANSWER_WITHIN_MS }, (response) => {
        const chunks: Buffer[] = []
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('error', reject)
          .once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers as Record<string, string | undefined>,
              text: Buffer.concat(chunks).toString(),
              at: Date.now(),
            }),
          )
      })
      sent
        .once('error', reject)
        .once('timeout', () => sent.destroy(new Error('no answer in time')))
        // An answer to an upgrade.
        .once('upgrade', (response, socket) => {
          socket.destroy()
          resolve({ status: response.statusCode ?? 0, headers: {}, text: '', at: Date.now() })
        })
        .end(body ?? undefined)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Returns a command that sends a request again, to copy into a shell. */
export function curlOf(baseUrl: string, { method, path, headers, body }: FuzzRequest): string {
  const url = quoted(new URL(baseUrl).origin + path)
  const options = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const data = body === null ? [] : ['--data-binary', '@-']
  const parts = ['curl', '-i', '--path-as-is', '-X', quoted(method), ...options, ...data, url]
  const command = parts.join(' ')
  // Bytes of any kind survive a shell only as hex.
  return body === null ? command : `echo ${body.toString('base64')} | base64 -d | ${command}`
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
