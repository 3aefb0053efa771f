import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PROJECT_DIR } from './started-service.ts'

const simulate = (...options: string[]) =>
  promisify(execFile)('npm', ['run', '--silent', 'simulate', '--', ...options], {
    cwd: PROJECT_DIR,
    maxBuffer: 2 ** 26,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }))

describe('npm run simulate', () => {
  it('finds nothing wrong in a minute of histories with fresh seeds', async () => {
    const { stdout, stderr } = await simulate('--for', '60s', '--go-on')
    console.info(stdout.split('\n', 2).join('\n'))
    expect(`${stdout}${stderr}`).toMatch(/Everything held\.\n$/)
  })

  it('refuses an option in one line, without a stack', async () => {
    const { stderr } = await simulate('--for', '5')
    expect(stderr).toBe('--for must be a duration such as 60s, 5m or 1h.\n')
  })

  it('tells the story of a seed', async () => {
    const { stdout } = await simulate('--seed', '1')
    expect(stdout).toMatch(/ada 1>router state #1 arrives at isolate \d/)
    expect(stdout).toMatch(/--- the faults end ---/)
    expect(stdout).toMatch(/Everything held\. The trace is -?\d+\.\n$/)
  })
})
