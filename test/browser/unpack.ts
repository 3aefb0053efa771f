import chromium from '@sparticuz/chromium'
import { diskFolder } from '../shared/memory-folder.ts'
import { EXECUTABLE } from './browser.ts'

/**
 * Unpacks the browser before the first test starts it: tests that unpacked it at once would start a
 * half-written file. It goes on disk, where the next run finds it and the system lets it run.
 */
export async function setup(): Promise<void> {
  const { TMPDIR: folder } = process.env
  process.env['TMPDIR'] = diskFolder()
  process.env[EXECUTABLE] = await chromium.executablePath()
  if (folder === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = folder
}
