// Runs forge and exits with its status. The package's own launcher exits with 0 even when tests fail.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const { platform, arch } = process
const name = `@foundry-rs/forge-${platform}-${arch === 'x64' ? 'amd64' : arch}`
const binary = createRequire(import.meta.url).resolve(
  `${name}/bin/forge${platform === 'win32' ? '.exe' : ''}`,
)
const { status, error } = spawnSync(binary, process.argv.slice(2), { stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
