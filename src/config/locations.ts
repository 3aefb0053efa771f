/** Cloudflare's hints for where an object is created. */
export const LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const

export type Location = (typeof LOCATIONS)[number]
