import { expect, it } from 'vitest'
import { neverCalled } from '../../compare/coverage.ts'
import type { Exchange, Recording } from '../../compare/recording.ts'

const DOCUMENT = `
paths:
  /api/crash:
    get:
      operationId: getCrash
      parameters:
        - name: action
          schema: { enum: [watch] }
    post:
      operationId: postCrash
      requestBody:
        content:
          application/json:
            schema:
              discriminator:
                propertyName: action
                mapping: { bet: "#/bet", cashout: "#/cashout" }
  /api/ad-rental:
    post:
      operationId: postAdRental
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/RentRequest" }
components:
  schemas:
    RentRequest:
      properties:
        action: { const: rent }
`

function exchange(method: string, path: string, body = '', answer = '{}'): Exchange {
  const name = answer === DOCUMENT ? 'reference: the document' : `${method} ${path} ${body}`
  return {
    name,
    request: { method, path, body },
    answer: { status: 200, headers: {}, body: answer },
  }
}

function recording(...exchanges: Exchange[]): Recording {
  const document = exchange('GET', '/reference/openapi.yaml', '', DOCUMENT)
  return { startedAt: 0, names: {}, faults: [], exchanges: [document, ...exchanges] }
}

it('lists documented calls that were never made, action by action', () => {
  const asked = [
    exchange('GET', '/api/crash?wallet=0x12'),
    exchange('POST', '/api/crash', '{"action":"bet"}'),
  ]
  expect(neverCalled(recording(...asked))).toEqual([
    'getCrash watch',
    'postCrash cashout',
    'postAdRental rent',
  ])
})

it('reports a recording without the document', () => {
  const { exchanges, ...rest } = recording(exchange('GET', '/api/crash'))
  expect(neverCalled({ ...rest, exchanges: exchanges.slice(1) })).toHaveLength(1)
})
