import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { crashStream } from '../../src/calls/objects.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { changeObjectConfig } from './configuration.ts'
import { openRound, ringRound, secretsOf, setTime } from './support.ts'
import { ringStream, Viewer } from './viewer.ts'

export const LOW = { min: 200, max: 600 }

/** A round, its crash time, and two viewers watching from the start. */
export async function watchedRound(range = LOW) {
  const plan = await openRound(range)
  const { crash } = await secretsOf(plan.roundId)
  const viewers = [await Viewer.connect('192.0.2.1'), await Viewer.connect('192.0.2.2')] as const
  return { plan, crash, crashAt: plan.flightAt + flightMs(crash), viewers }
}

/** A watched round that has just crashed. */
export async function crashedRound() {
  const round = await watchedRound()
  await takeOff(round.plan)
  setTime(round.crashAt)
  await ringRound(round.plan.roundId)
  await round.viewers[0].hears('history')
  return round
}

export async function takeOff({ flightAt }: { flightAt: number }): Promise<void> {
  setTime(flightAt)
  await ringStream()
}

/** A summary of the messages that a viewer received, without those about bets. */
export const brief = (viewer: Viewer) =>
  viewer.heard.flatMap((message) => {
    if (message.type === 'bets') return []
    if (message.type === 'phase') return `${message.roundId} ${message.phase}`
    if (message.type === 'close') return `${message.roundId} closed`
    if (message.type === 'win') return `win ${message.win.wallet} ${message.win.mult}`
    return message.type === 'history' ? `history ${message.entry.roundId}` : 'snapshot'
  })

export const viewerCount = () =>
  runInDurableObject(crashStream(env), (_, ctx) => ctx.getWebSockets().length)

/** Gives the stream a vault, whose conditions the relayer's object knows. */
export async function configureVault(id: string): Promise<void> {
  const withdrawalMin = { fixed: { ETH: 1n, USDG: 1n }, perGwei: { ETH: 1_000n, USDG: 1_000n } }
  const vault = { id, chainId: 31_337, confirmations: 1, withdrawalMin }
  await changeObjectConfig(crashStream(env), () => ({ vault: vault as VaultConfig }))
}

/** An object that restarts loses its memory and any pending work. */
export async function breakDown(stub: DurableObjectStub): Promise<void> {
  const broken = runInDurableObject(stub, (_: unknown, ctx: DurableObjectState) => ctx.abort())
  await broken.catch(() => {})
}
