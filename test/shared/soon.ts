/** How long a test waits for what is about to happen: a busy machine takes its time. */
export const SOON = { timeout: 120_000 }
