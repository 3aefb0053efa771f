import type { Child } from 'hono/jsx/dom'
import type { Problem } from '../api.ts'
import { Copied } from '../components/copied.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'

interface Props {
  title: string
  /** The result, which stands out. */
  result: Child
  isGood: boolean
  facts: [name: string, value: Child][]
  /** The content in place of the link to share. */
  instead?: Child
}

/** A result on a page of its own, with a link to share. */
export function Slip({ title, result, isGood, facts, instead }: Props) {
  return (
    <Panel title={title}>
      <p class={isGood ? 'slip-result good' : 'slip-result'}>{result}</p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {instead ?? (
        <p class="share">
          <span>Link to this page:</span>
          <Copied text={sharedLink()} shown={shortLink()} name="link" />
        </p>
      )}
    </Panel>
  )
}

/** The address of this page with a preview: platforms don't send the part after a `#`. */
function sharedLink(): string {
  return `${location.origin}${location.hash.slice(1)}`
}

function shortLink(): string {
  const link = sharedLink().replace(/^https?:\/\//, '')
  return link.length <= 34 ? link : `${link.slice(0, 20)}…${link.slice(-12)}`
}

/** Tells why there is nothing to show. */
export function NoSlip({ title, problem }: { title: string; problem: Problem }) {
  return (
    <Panel title={title}>
      <Refusal problem={problem} token="ETH" />
      <p>
        <a href="#/crash">Go to the table</a>
      </p>
    </Panel>
  )
}

/** The whole address of a wallet. */
export function Wallet({ wallet }: { wallet: string }) {
  return <code class="address">{wallet}</code>
}
