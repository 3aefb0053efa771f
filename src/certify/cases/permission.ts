import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Player } from '../bridge.ts'
import {
  expect,
  expectBalance,
  expectMoved,
  expectRefused,
  expectSame,
  tenTimes,
  usdg,
  type Case,
  type Group,
} from '../case.ts'

const NEEDED =
  "If consent is required, a debit without its player's permission is 403 permission_required, which does not use up the id."
const LIMIT =
  'A debit above the amount permitted within 24 hours is 422 payout_limit, which stays the answer to its id.'
const NONCE = 'A grant is signed with the nonce shown; each grant and each revocation raises it.'
const SIGNED = "A permission is signed by its player's wallet, exactly as sent."

/** An expiry near enough for a case to wait for it. */
const SOON_S = 2

const cases: Omit<Case, 'needs'>[] = [
  {
    title: 'a debit without a permission is refused, and can be repeated once it is granted',
    rule: NEEDED,
    run: async ({ bridge, id }) => {
      const player = await bridge.stranger('10')
      expectRefused(await bridge.transaction(player, '-3', { id }), 403, 'permission_required')
      expectBalance(await bridge.balance(player), usdg(10))
      expectGranted(await bridge.grant(player))
      expectMoved(await bridge.transaction(player, '-3', { id }), usdg(10), usdg(7))
    },
  },
  {
    title: 'a debit without a permission is refused even without chips',
    rule: NEEDED,
    run: async ({ bridge }) => {
      const player = await bridge.stranger()
      expectRefused(await bridge.transaction(player, '-3'), 403, 'permission_required')
    },
  },
  {
    title: 'credits, zero and rollbacks need no permission',
    rule: 'Only debits need a permission.',
    run: async ({ bridge, id }) => {
      const player = await bridge.stranger()
      expectMoved(await bridge.transaction(player, '3', { id }), '0', usdg(3))
      expectMoved(await bridge.transaction(player, '0'), usdg(3), usdg(3))
      expectMoved(await bridge.rollback(player, id), usdg(3), '0')
    },
  },
  {
    title: 'debits up to the permitted amount are carried out, and shown as used',
    rule: 'A permission shows the debits of the last 24 hours.',
    run: async ({ bridge }) => {
      const player = await bridge.stranger('10')
      expectGranted(await bridge.grant(player, { maxPerDayWei: usdg(5) }))
      expectMoved(await bridge.transaction(player, '-3'), usdg(10), usdg(7))
      expectMoved(await bridge.transaction(player, '-2'), usdg(7), usdg(5))
      const shown = await bridge.permission(player)
      const found = [shown?.maxPerDayWei, shown?.usedWei].join(' of ')
      expect(
        found === [usdg(5), usdg(5)].join(' of '),
        `limit and use should be ${usdg(5)} and ${usdg(5)}, not ${found}`,
      )
    },
  },
  {
    title: 'a debit above the permitted amount stays refused',
    rule: LIMIT,
    run: async ({ bridge, id }) => {
      const player = await bridge.stranger('10')
      await bridge.grant(player, { maxPerDayWei: usdg(5) })
      await bridge.transaction(player, '-3')
      const refused = await bridge.transaction(player, '-2.000001', { id })
      expectRefused(refused, 422, 'payout_limit')
      const { maxPayout } = refused.body.error?.details ?? {}
      expect(maxPayout === usdg(2), `maxPayout should be ${usdg(2)}, not ${String(maxPayout)}`)
      await bridge.grant(player)
      expectSame(refused, await bridge.transaction(player, '-2.000001', { id }))
      expectBalance(await bridge.balance(player), usdg(7))
    },
  },
  {
    title: 'of ten debits at the same time with permission for four, exactly four are carried out',
    rule: LIMIT,
    run: async ({ bridge }) => {
      const player = await bridge.stranger('10')
      await bridge.grant(player, { maxPerDayWei: usdg(4.5) })
      const answers = await tenTimes(() => bridge.transaction(player, '-1'))
      const done = answers.filter(({ status }) => status === 200)
      expect(done.length === 4, `four should be carried out, not ${done.length}`)
      expectBalance(await bridge.balance(player), usdg(6))
    },
  },
  {
    title: 'a rollback restores what its debit used of the permission, once',
    rule: 'A rollback restores the part of the permission that its debit used.',
    run: async ({ bridge, id }) => {
      const player = await bridge.stranger('10')
      await bridge.grant(player, { maxPerDayWei: usdg(5) })
      await bridge.transaction(player, '-2')
      await bridge.transaction(player, '-3', { id })
      expectRefused(await bridge.transaction(player, '-1'), 422, 'payout_limit')
      await bridge.rollback(player, id)
      await bridge.rollback(player, id)
      expectMoved(await bridge.transaction(player, '-3'), usdg(8), usdg(5))
      expectRefused(await bridge.transaction(player, '-0.000001'), 422, 'payout_limit')
    },
  },
  {
    title: 'an expired permission permits nothing',
    rule: "A permission expires at expiresAt, by the service's clock.",
    run: async ({ bridge }) => {
      const player = await bridge.stranger('10')
      const expiresAt = Math.floor(Date.now() / 1000) + SOON_S
      await bridge.grant(player, { expiresAt })
      await sleep((SOON_S + 1) * 1_000)
      expectRefused(await bridge.transaction(player, '-1'), 403, 'permission_required')
    },
  },
  {
    title: 'a revoked permission permits nothing, and its grant cannot be repeated',
    rule: NONCE,
    run: async ({ bridge }) => {
      const player = await bridge.stranger('10')
      await bridge.grant(player)
      expectMoved(await bridge.transaction(player, '-1'), usdg(10), usdg(9))
      const { permission } = (await bridge.revoke(player)).body
      expect(
        permission?.maxPerDayWei === '0' && permission.expiresAt === null,
        'a revoked permission should be shown as "0" and null',
      )
      expectRefused(await bridge.transaction(player, '-1'), 403, 'permission_required')
      expectRefused(await bridge.grant(player, { nonce: 0 }), 409, 'nonce_mismatch')
      expectRefused(await bridge.transaction(player, '-1'), 403, 'permission_required')
    },
  },
  {
    title: 'a permission is granted only with the nonce shown',
    rule: NONCE,
    run: async ({ bridge }) => {
      const player = await bridge.stranger()
      await expectNonce(player, 0)
      for (const [nonce, expected] of [
        [1, 0],
        [0, null],
        [0, 1],
        [2, 1],
        [1, null],
      ] as const) {
        const answer = await bridge.grant(player, { nonce })
        if (expected === null) expectGranted(answer)
        else {
          expectRefused(answer, 409, 'nonce_mismatch')
          const found = answer.body.error?.details?.['expected']
          expect(found === expected, `expected should be ${expected}, not ${String(found)}`)
        }
      }
      await bridge.revoke(player)
      await expectNonce(player, 3)

      async function expectNonce(of: Player, nonce: number) {
        const found = (await bridge.permission(of))?.nonce
        expect(found === nonce, `the nonce should be ${nonce}, not ${found}`)
      }
    },
  },
  {
    title: "a permission not signed by its player's wallet is refused",
    rule: SIGNED,
    run: async ({ bridge }) => {
      const [player, other] = [await bridge.stranger('10'), await bridge.stranger()]
      const forged = await bridge.grant(player, { signedBy: other })
      expectRefused(forged, 422, 'signature_invalid')
      expectRefused(await bridge.transaction(player, '-1'), 403, 'permission_required')
    },
  },
  {
    title: 'a permission for one token permits no other',
    rule: 'A permission is for one partner and one token.',
    run: async ({ bridge }) => {
      const player = await bridge.stranger('10')
      expectGranted(await bridge.grant({ ...player, currency: 'ETH' }))
      expectRefused(await bridge.transaction(player, '-1'), 403, 'permission_required')
    },
  },
  {
    title: 'misspelt names in a permission are refused',
    rule: 'A key that differs from a known name only in letter case, _ or - is invalid_request.',
    run: async ({ bridge, consenting }) => {
      const player = await bridge.stranger()
      const fields = { partner: consenting?.id, token: player.currency }
      for (const name of ['max_per_day_wei', 'ExpiresAt', 'Partner']) {
        const answer = await bridge.changePermission(player, 'revoke', { ...fields, [name]: '1' })
        expectRefused(answer, 400, 'invalid_request')
      }
    },
  },
]

export const permission: Group = {
  name: 'Permission',
  cases: cases.map((one) => ({ ...one, needs: 'consenting' as const })),
}

function expectGranted({ status, text }: Answer): void {
  expect(status === 200, `the permission should be granted, but the answer was ${status}: ${text}`)
}
