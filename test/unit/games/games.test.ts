import { describe, expect, it } from 'vitest'
import { SelectionBody } from '../../../src/api/games/schema.ts'
import { parseJson } from '../../../src/core/json.ts'
import { selectionOf, wireParams } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { forAll } from '../support/for-all.ts'
import { draws, selections } from './arbitraries.ts'
import { TERMS } from './terms.ts'

describe('a selection', () => {
  it('is sent with tiles as `pick` and the target as a decimal number', () => {
    expect(wireParams({ game: 'mines', params: { mines: 3, picked: [4, 2] } })).toEqual({
      mines: 3,
      pick: [4, 2],
    })
    expect(wireParams({ game: 'limbo', params: { target: 101 } })).toEqual({ target: 1.01 })
  })

  it('is parsed back unchanged, in the order in which it is stored', () => {
    forAll(selections, (selection) => {
      const sent = JSON.stringify({ game: selection.game, params: wireParams(selection) })
      expect(JSON.stringify(SelectionBody.parse(parseJson(sent)))).toBe(JSON.stringify(selection))
    })
  })

  it('is recovered from the result', () => {
    forAll(selections, draws, (selection, draw) => {
      const play = settle(selection, { token: 'ETH', amountWei: 1n }, draw, TERMS)
      expect(selectionOf(play)).toEqual(selection)
    })
  })
})
