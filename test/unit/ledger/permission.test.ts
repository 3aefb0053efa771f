import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../../src/core/refusal.ts'
import {
  checkDebitAllowed,
  checkGrant,
  checkHour,
  checkPermitted,
  keptSignature,
  stricterPermission,
  type Grant,
} from '../../../src/ledger/permission.ts'

const limits = { isOpen: true, needsPermission: true, hourWei: 50n }
const permit = { maxPerDayWei: 100n, expiresAt: 1_800_000_000 }
const EXPIRES_AT_MS = permit.expiresAt * 1000

const codeOf = (refusal: Refusal | null) => refusal?.error.code ?? null
const leftOf = (refusal: Refusal | null) => refusal?.error.details ?? null

describe('a permission', () => {
  const grant: Grant = {
    partner: 'demo',
    token: 'USDG',
    ...permit,
    nonce: 3,
    signature: '0x',
    isSigned: true,
  }

  it('is granted with the next nonce and the player’s signature', () => {
    expect(checkGrant(grant, 3)).toBeNull()
    expect(codeOf(checkGrant({ ...grant, isSigned: false }, 4))).toBe('nonce_mismatch')
    expect(codeOf(checkGrant({ ...grant, isSigned: false }, 3))).toBe('signature_invalid')
    expect(codeOf(checkGrant({ ...grant, isSigned: null }, 3))).toBe('chain_unavailable')
  })

  it('holds until the second it expires in', () => {
    expect(checkDebitAllowed(limits, permit, EXPIRES_AT_MS - 1)).toBeNull()
    expect(codeOf(checkDebitAllowed(limits, permit, EXPIRES_AT_MS))).toBe('permission_required')
    expect(codeOf(checkDebitAllowed(limits, null, 0))).toBe('permission_required')
  })

  it('is not needed by every partner, but no partner debits while switched off', () => {
    expect(checkDebitAllowed({ ...limits, needsPermission: false }, null, 0)).toBeNull()
    expect(codeOf(checkDebitAllowed({ ...limits, isOpen: false }, permit, 0))).toBe('closed')
  })

  it('is the stricter one of two states of it, whose signatures are all used', () => {
    const one = { nonce: 3, maxPerDayWei: '100', expiresAt: 7 }
    const other = { nonce: 5, maxPerDayWei: '20', expiresAt: 9 }
    const revoked = { nonce: 4, maxPerDayWei: null, expiresAt: null }
    const both = { nonce: 5, maxPerDayWei: '20', expiresAt: 7 }
    expect(stricterPermission(one, other)).toEqual(both)
    expect(stricterPermission(other, one)).toEqual(both)
    expect(stricterPermission(one, revoked)).toEqual(revoked)
    expect(stricterPermission(revoked, other)).toEqual({ ...revoked, nonce: 5 })
  })

  it('is kept with a key’s signature as it is, and with the hash of a longer one', () => {
    const ofKey = `0x${'1f'.repeat(65)}`
    expect(keptSignature(ofKey)).toBe(ofKey)
    expect(keptSignature(`${ofKey}1f`)).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})

describe('a debit', () => {
  it('may take all that the player permits within a day, and no more', () => {
    const recent = { hourWei: 0n, dayWei: 70n }
    expect(checkPermitted(30n, limits, permit, recent)).toBeNull()
    expect(leftOf(checkPermitted(31n, limits, permit, recent))).toEqual({ maxPayout: '30' })
  })

  it('may take all that the operator allows within an hour, and no more', () => {
    const recent = { hourWei: 20n, dayWei: 20n }
    expect(checkHour(30n, limits, recent)).toBeNull()
    expect(leftOf(checkHour(31n, limits, recent))).toEqual({ maxPayout: '30' })
  })

  it('that exceeds two limits is refused with the smaller one', () => {
    const recent = { hourWei: 20n, dayWei: 20n }
    expect(leftOf(checkPermitted(81n, limits, permit, recent))).toEqual({ maxPayout: '30' })
    const busier = { hourWei: 0n, dayWei: 80n }
    expect(leftOf(checkPermitted(51n, limits, permit, busier))).toEqual({ maxPayout: '20' })
  })

  it('is refused with a remainder of 0, never a negative one, after its limit was lowered', () => {
    const recent = { hourWei: 120n, dayWei: 120n }
    expect(leftOf(checkPermitted(1n, limits, permit, recent))).toEqual({ maxPayout: '0' })
    expect(leftOf(checkHour(1n, limits, recent))).toEqual({ maxPayout: '0' })
  })
})
