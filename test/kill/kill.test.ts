import { expect, it } from 'vitest'
import { killAgainAndAgain } from './run.ts'

it(
  'keeps every answer it has given, however often it is killed',
  { timeout: 600_000 },
  async () => {
    const seed = Date.now() % 1_000_000
    console.log(`npm run kill -- --kills 5 --seed ${seed}`)
    const { problems, compared } = await killAgainAndAgain({ seed, kills: 5 })
    expect(problems).toEqual([])
    expect(compared).toBeGreaterThan(50)
  },
)
