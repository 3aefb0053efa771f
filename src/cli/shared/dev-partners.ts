/** A partner's credentials. The development ones are public: never give them to anything of worth. */
export interface PartnerAccess {
  id: string
  secret: string
}

export interface DevPartner extends PartnerAccess {
  kid: string
  /** The key that takes over at the next change: live beside the first. */
  next?: { kid: string; secret: string }
}

export const DEV_PARTNER: DevPartner = {
  id: 'demo',
  kid: 'first',
  secret: 'fairhouse development key of partner demo, the first',
  next: { kid: 'second', secret: 'fairhouse development key of partner demo, the second' },
}

/** Another one, whose ids are its own. It has to send the hash of the body. */
export const OTHER_DEV_PARTNER: DevPartner = {
  id: 'demo-two',
  kid: 'first',
  secret: 'fairhouse development key of partner demo-two',
}

/** The secret PARTNER_KEYS of local play. */
export function devPartnerKeys(): string {
  const keys = [DEV_PARTNER, OTHER_DEV_PARTNER].map(({ id, kid, secret, next }) => [
    id,
    { [kid]: secret, ...(next && { [next.kid]: next.secret }) },
  ])
  return JSON.stringify(Object.fromEntries(keys))
}
