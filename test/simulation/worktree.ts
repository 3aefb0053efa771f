import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Does something with the project as it was at a commit. @param root the project's folder, whose packages it uses */
export async function atCommit<T>(
  commit: string,
  root: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'fairhouse-'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })
  git('worktree', 'add', '--detach', folder, commit)
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return await work(folder)
  } finally {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
