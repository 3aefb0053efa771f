/** Scripts that record, in the page's `seen`, the order of events. */

export interface SeenResult {
  chips: string
  /** The newest of the last plays. */
  newest: string
  hasLanded: boolean
}

/** Records whether the ball had landed whenever the chips or the last plays change. */
export const WATCH_RESULT = `{
  globalThis.seen = []
  const look = () => {
    const chips = document.querySelector('.chips .money').title
    const newest = document.querySelector('.plays a')?.ariaLabel ?? ''
    const hasLanded = document.querySelector('.ball')?.getAnimations()[0]?.playState === 'finished'
    const last = seen.at(-1)
    if (chips !== last?.chips || newest !== last?.newest) seen.push({ chips, newest, hasLanded })
  }
  const everything = { subtree: true, childList: true, attributes: true }
  new MutationObserver(look).observe(document.body, everything)
}`

/** Records the order in which commitments arrived, random bytes were drawn and seeds were sent. */
export const WATCH_SEEDS = `{
  globalThis.seen = []
  const draw = crypto.getRandomValues.bind(crypto)
  crypto.getRandomValues = (array) => {
    seen.push('drew ' + Array.from(draw(array), (byte) => byte.toString(16).padStart(2, '0')).join(''))
    return array
  }
  const ask = fetch
  globalThis.fetch = async (url, options) => {
    const { clientSeed } = JSON.parse(options?.body ?? '{}')
    if (clientSeed !== undefined) seen.push('sent ' + clientSeed)
    const response = await ask(url, options)
    const text = await response.clone().text()
    for (const [, hash] of text.matchAll(/eedHash":"([0-9a-f]{64})"/g)) seen.push('saw ' + hash)
    return response
  }
}`
