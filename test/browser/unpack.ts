import chromium from '@sparticuz/chromium'

/** Vitest's global setup: unpacks the browser once. Test files that unpacked it at the same time would start half of it. */
export async function setup(): Promise<void> {
  await chromium.executablePath()
}
