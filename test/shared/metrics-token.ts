/** What the tests' services want from a reader of their metrics. */
export const METRICS_TOKEN = 'a-token-that-only-the-tests-monitor-has'
