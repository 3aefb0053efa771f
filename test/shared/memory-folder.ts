import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory. */
const SHARED_MEMORY = '/dev/shm'

/** More than the databases, checkouts and browser profiles of a whole run. */
const NEEDED_BYTES = 2 ** 31

/** Names the temporary folder on disk, for files that outlive a run. */
const DISK_VARIABLE = 'FAIRHOUSE_DISK_TMPDIR'

/**
 * Keeps the temporary files of this process and its children in memory if the system has room for them.
 * On disk, every write of a test's database would wait for a sync.
 */
export function keepFilesInMemory(): void {
  if (process.env[DISK_VARIABLE] || !hasRoom()) return
  const folder = mkdtempSync(join(SHARED_MEMORY, 'fairhouse-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env[DISK_VARIABLE] = tmpdir()
  process.env['TMPDIR'] = folder
}

/** Returns the temporary folder on disk. */
export function diskFolder(): string {
  return process.env[DISK_VARIABLE] ?? tmpdir()
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}
