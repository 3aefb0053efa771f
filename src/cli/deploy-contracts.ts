// npm run deploy:contracts: deploys the contracts to a chain, and prints the service's variables.
import { execFileSync } from 'node:child_process'
import { getAddress, isAddress, parseEther, type Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { checkDeployment } from './deploy-contracts/check.ts'
import { awardOf, forgeBuild } from './deploy-contracts/contracts.ts'
import { Site } from './deploy-contracts/site.ts'
import { connect, inPlainWords } from './shared/chain-account.ts'
import { PROJECT_DIR } from './shared/manifest.ts'
import {
  CommandError,
  is32Bytes,
  readArgs,
  runCommand,
  UsageError,
  wholeNumber,
} from './shared/terminal.ts'

const USAGE = `Usage: DEPLOYER_PRIVATE_KEY=0x… npm run deploy:contracts -- --rpc URL --owner 0x… --relayer 0x… --usdg 0x…

  --rpc URL          a node of the chain
  --owner 0x…        the contracts' owner: a multisig rather than a key
  --relayer 0x…      the service's signing account
  --usdg 0x…         the USDG token on that chain; "test" deploys one on a chain of your own
  --router 0x…       a Uniswap v2 router; also deploys the lootbox's pool and reward token
  --box-signer 0x…   the account that signs box openings; also deploys the boxes (needs --router)
  --reward-cap N     the maximum supply of reward tokens  (1000000000)
  --chain N          the expected chain id; refuses a node on another chain

The deployer pays for gas and keeps no rights over the contracts. If a check fails, nothing is sent.
Prints the lines for [vars] in fairhouse.toml.`

const OPTIONS = {
  rpc: { type: 'string' },
  owner: { type: 'string' },
  relayer: { type: 'string' },
  usdg: { type: 'string' },
  router: { type: 'string' },
  'box-signer': { type: 'string' },
  'reward-cap': { type: 'string', default: '1000000000' },
  chain: { type: 'string' },
} as const

void runCommand(async () => {
  const { values } = readArgs(USAGE, { options: OPTIONS })
  const { rpc } = values
  const privateKey = process.env['DEPLOYER_PRIVATE_KEY']
  if (!is32Bytes(privateKey)) {
    throw new UsageError('DEPLOYER_PRIVATE_KEY must be 0x and 64 hex digits.', USAGE)
  }
  if (rpc === undefined) throw new UsageError('--rpc is missing.', USAGE)
  const owner = addressOf('--owner', values.owner)
  const relayer = addressOf('--relayer', values.relayer)
  const known = values.usdg === 'test' ? null : addressOf('--usdg', values.usdg)
  const router = values.router === undefined ? null : addressOf('--router', values.router)
  const signer = values['box-signer']
  if (signer !== undefined && !router) throw new CommandError('--box-signer needs --router.')
  const boxSigner = signer === undefined ? null : addressOf('--box-signer', signer)
  const cap = parseEther(String(wholeNumber('--reward-cap', values['reward-cap'], 1, 10 ** 14)))
  const wantedChain =
    values.chain === undefined
      ? null
      : wholeNumber('--chain', values.chain, 1, Number.MAX_SAFE_INTEGER)

  const deployerAddress = privateKeyToAccount(privateKey).address
  const chain = connect(rpc, privateKey)
  const { chainId, weth, warning } = await inPlainWords(
    checkDeployment(chain, {
      chainId: wantedChain,
      deployer: deployerAddress,
      owner,
      relayer,
      usdg: known,
      router,
      boxSigner,
    }),
  )
  if (warning !== null) console.error(warning)
  const [command = '', ...args] = forgeBuild(PROJECT_DIR)
  execFileSync(command, args, { cwd: PROJECT_DIR, stdio: ['ignore', 'ignore', 'inherit'] })
  const deployer = { address: deployerAddress, privateKey }
  const site = new Site(PROJECT_DIR, rpc, deployer)
  const deploy = async (name: string, fields: unknown[]) => {
    const deployed = await inPlainWords(site.deploy(name, fields))
    // Print this now: a later deployment may fail, and this one is already paid for.
    console.error(`${name} is at ${deployed.address}`)
    return deployed
  }

  const usdg = known ?? (await deploy('TestUSDG', [owner])).address
  const vault = await deploy('Vault', [owner, relayer, usdg])
  const vars: Record<string, string | number> = {
    CHAIN_ID: chainId,
    VAULT_ADDRESS: vault.address,
    VAULT_START_BLOCK: Number(vault.block),
    USDG_ADDRESS: usdg,
  }
  if (router && weth) {
    const reward = await deploy('RewardToken', [owner, cap])
    const pool = await deploy('PrizePool', [owner, relayer, router])
    Object.assign(vars, {
      LOOTBOX_POOL: pool.address,
      REWARD_TOKEN_ADDRESS: reward.address,
      WETH_ADDRESS: weth,
    })
    if (boxSigner) {
      const boxes = await deploy('BoxNft', [owner, boxSigner, reward.address])
      Object.assign(vars, {
        BOX_NFT_ADDRESS: boxes.address,
        BOX_NFT_START_BLOCK: Number(boxes.block),
        AWARD_ADDRESS: awardOf(boxes.address),
      })
    }
  }
  for (const [name, value] of Object.entries(vars)) console.log(`${name} = "${value}"`)
  return 0
})

/** Reads an address. @throws CommandError if it isn't one or has a wrong checksum */
function addressOf(option: string, text: string | undefined): Address {
  if (text !== undefined && isAddress(text)) return getAddress(text)
  throw new UsageError(`${option} must be an address with a correct checksum.`, USAGE)
}
