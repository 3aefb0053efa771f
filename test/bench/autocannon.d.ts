/** The part of autocannon that the bench uses; the package ships no types. */
declare module 'autocannon' {
  interface Request {
    method?: string
    path: string
    headers?: Record<string, string>
    body?: string
    onResponse?: (status: number, body: string) => void
  }

  interface Client {
    setRequests(requests: Request[]): void
  }

  interface Result {
    errors: number
  }

  interface Run extends Promise<Result> {
    on(event: 'start', listener: () => void): void
    on(
      event: 'response',
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): void
    stop(): void
  }

  export default function autocannon(options: {
    url: string
    connections: number
    amount: number
    /** How often autocannon checks for the end, in milliseconds. */
    sampleInt: number
    /** How long an answer may take, in seconds. */
    timeout: number
    setupClient: (client: Client) => void
  }): Run
}
