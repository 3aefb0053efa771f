/** A partner's credentials. Those below are public, so never use them outside development. */
export interface PartnerAccess {
  id: string
  secret: string
}

export interface DevPartner extends PartnerAccess {
  kid: string
  /** The next key, already valid along with the first. */
  next?: { kid: string; secret: string }
  /** Both as PARTNERS in wrangler.toml has them. */
  consent: 'implied' | 'required'
  requireBodyHash: boolean
}

export const DEV_PARTNER: DevPartner = {
  id: 'demo',
  kid: 'first',
  secret: 'fairhouse development key of partner demo, the first',
  next: { kid: 'second', secret: 'fairhouse development key of partner demo, the second' },
  consent: 'implied',
  requireBodyHash: false,
}

/** A second partner, with its own ids. */
export const OTHER_DEV_PARTNER: DevPartner = {
  id: 'demo-two',
  kid: 'first',
  secret: 'fairhouse development key of partner demo-two',
  consent: 'required',
  requireBodyHash: true,
}

/** Returns the secret PARTNER_KEYS of local play. */
export function devPartnerKeys(): string {
  const keys = [DEV_PARTNER, OTHER_DEV_PARTNER].map(({ id, kid, secret, next }) => [
    id,
    { [kid]: secret, ...(next && { [next.kid]: next.secret }) },
  ])
  return JSON.stringify(Object.fromEntries(keys))
}
