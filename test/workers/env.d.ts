declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: Record<'DB' | 'HISTORY', import('cloudflare:test').D1Migration[]>
  }
}

declare module '*?raw' {
  const text: string
  export default text
}

/** A file's text. */
declare module '*?raw' {
  const text: string
  export default text
}
