import type { Child } from 'hono/jsx/dom'
import { TOKENS, type Token } from '../../money/token.ts'
import { Money } from '../components/money.tsx'
import { showCount, showMultiplier, showNumber } from '../locale.ts'
import type { HelpTerms } from './terms.ts'

type Row = [name: string, value: Child]

/** The limits of a game that are in force now. */
export function Limits({ terms }: { terms: HelpTerms | null }) {
  if (!terms) return <p class="loading">Loading…</p>
  return (
    <>
      <dl class="facts">
        {rowsOf(terms).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        Set limits of your own under <a href="#/limits">Limits</a>.
      </p>
    </>
  )
}

function rowsOf(terms: HelpTerms): Row[] {
  switch (terms.kind) {
    case 'none':
      return [['Terms', terms.message]]
    case 'crash': {
      const { config } = terms.table
      return [
        ...ofTokens('Stake in', (token) => stakeOf(config.bounds[token], token)),
        ...ofTokens('Largest payout of a bet in', (token) => (
          <Money amountWei={config.maxPayout[token]} token={token} />
        )),
        ...ofTokens('Largest payout of a round in', (token) => (
          <Money amountWei={config.maxRoundPayout[token]} token={token} />
        )),
        ['No limit cashes you out below', showMultiplier(config.minForcedMultiplier)],
      ]
    }
    case 'play': {
      const { bounds, maxPayout } = terms.config
      return [
        ...ofTokens('Stake in', (token) => stakeOf(bounds[token], token)),
        ...ofTokens('Largest payout in', (token) => (
          <Money amountWei={maxPayout[token]} token={token} />
        )),
      ]
    }
    case 'lootbox': {
      const { price, spin } = terms.terms
      return [
        ['Price', <Money amountWei={price} token="ETH" />],
        ['Free spins a day, for all players together', showCount(spin.dailyLimit)],
      ]
    }
    case 'boxes':
      return terms.kinds.map(({ kind, price, tiers, isForSale }): Row => [
        `Kind ${kind}${isForSale ? '' : ', not for sale now'}`,
        <>
          <Money amountWei={price} token="ETH" />, best tier{' '}
          {showNumber(Math.min(...tiers.map(({ bps }) => bps)) / 100, 2)}%
        </>,
      ])
  }
}

function ofTokens(name: string, valueOf: (token: Token) => Child): Row[] {
  return TOKENS.map((token) => [`${name} ${token}`, valueOf(token)])
}

function stakeOf({ min, max }: { min: string; max: string }, token: Token): Child {
  return (
    <>
      <Money amountWei={min} token={token} /> to <Money amountWei={max} token={token} />
    </>
  )
}
