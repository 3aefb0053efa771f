import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, http } from 'viem'
import { expect, it } from 'vitest'
import { localChain, rpcUrlOf } from '../../src/cli/dev/local-chain.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { ServiceProcess } from '../../src/cli/shared/service-process.ts'
import { PROJECT_DIR } from './started-service.ts'

it('a local chain leaves no old states on the disk, however many blocks it mines', async () => {
  const home = await mkdtemp(join(tmpdir(), 'fairhouse-home-'))
  const port = await freePort()
  const options = { projectDir: PROJECT_DIR, port, onOutput: () => {}, env: { HOME: home } }
  const chain = new ServiceProcess(localChain(PROJECT_DIR, port), options)
  try {
    await chain.ready()
    const client = createTestClient({ mode: 'anvil', transport: http(rpcUrlOf(port)) })
    // By default, anvil writes the states of all but the newest 500 blocks to the disk.
    for (let mined = 0; mined < 1_000; mined += 100) await client.mine({ blocks: 100 })
    const left = await readdir(home, { recursive: true })
    expect(left.filter((file) => file.endsWith('.json'))).toEqual([])
  } finally {
    await chain.stop()
    await rm(home, { recursive: true })
  }
})
