// npm run contracts: writes src/chain/abi.ts from forge's output. With --check it only compares them.
import { readFileSync, writeFileSync } from 'node:fs'

const CONTRACTS = {
  vaultAbi: 'Vault.sol/Vault',
  boxNftAbi: 'BoxNft.sol/BoxNft',
  awardAbi: 'Award.sol/Award',
  prizePoolAbi: 'PrizePool.sol/PrizePool',
}

const OUT = new URL('out/', import.meta.url)
const FILE = new URL('../src/chain/abi.ts', import.meta.url)

interface Artifact {
  abi: object[]
}

function abiOf(path: string): object[] {
  const { abi } = JSON.parse(readFileSync(new URL(`${path}.json`, OUT), 'utf8')) as Artifact
  return abi
}

const parts = Object.entries(CONTRACTS).map(
  ([name, path]) =>
    `export const ${name} = [\n${abiOf(path)
      .map((entry) => `  ${JSON.stringify(entry)},\n`)
      .join('')}] as const\n`,
)
const text = `// Generated from the contracts by \`npm run contracts\`. Not to be edited.\n\n${parts.join('\n')}`

if (!process.argv.includes('--check')) writeFileSync(FILE, text)
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('src/chain/abi.ts differs from the contracts: run npm run contracts.')
  process.exitCode = 1
}
