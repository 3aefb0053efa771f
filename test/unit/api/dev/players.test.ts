import { expect, it } from 'vitest'
import { DEV_PLAYERS, devPlayer, devPlayers } from '../../../../src/cli/shared/dev-players.ts'

it('the players are the first accounts of the mnemonic used by local chains', () => {
  expect(devPlayers()).toEqual(Array.from({ length: DEV_PLAYERS }, (_, index) => devPlayer(index)))
})
