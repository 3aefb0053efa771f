import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readReceipts } from '../../../../src/cli/audit/receipts.ts'
import { ISS, sign, withdrawalReceipt } from '../../support/receipts.ts'

const OTHER = 'https://other.test'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-receipts-'))
  file = join(folder, 'receipts.txt')
  const texts = [ISS, OTHER].map((iss) => sign({ ...withdrawalReceipt, iss }))
  await writeFile(file, (await Promise.all(texts)).join('\n'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const sitesOf = async (site: string | null) =>
  (await readReceipts(file, site)).map(({ iss }) => iss)

describe('an audit', () => {
  it('expects nothing of a site because of the receipts of another one', async () => {
    expect(await sitesOf(`${ISS}/`)).toEqual([ISS])
    expect(await sitesOf(OTHER)).toEqual([OTHER])
  })

  it('uses every receipt if the folder names no site', async () => {
    expect(await sitesOf(null)).toEqual([ISS, OTHER])
  })

  it('says if no receipt is of the site', async () => {
    await expect(sitesOf('https://third.test')).rejects.toThrow('no receipts of https://third.test')
  })
})
