import { expect, it } from 'vitest'
import { coverage } from '../../compare/coverage.ts'
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
    Refusal_closed: {}
    Refusal_internal: {}
`

function exchange(method: string, path: string, body = '', answer = '{}', status = 200): Exchange {
  const name = answer === DOCUMENT ? 'reference: the document' : `${method} ${path} ${body}`
  return { name, request: { method, path, body }, answer: { status, headers: {}, body: answer } }
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
  expect(coverage(recording(...asked)).missing).toEqual([
    'getCrash watch',
    'postCrash cashout',
    'postAdRental rent',
  ])
})

it('reports calls that were always refused and codes that never occurred', () => {
  const closed = '{"ok":false,"error":{"code":"closed"}}'
  const { missing, report } = coverage(
    recording(
      exchange('GET', '/api/crash'),
      exchange('GET', '/api/crash?action=watch'),
      exchange('POST', '/api/crash', '{"action":"bet"}'),
      exchange('POST', '/api/crash', '{"action":"cashout"}', closed, 503),
      exchange('POST', '/api/ad-rental', '{"action":"rent"}'),
    ),
  )
  expect(missing).toEqual([])
  expect(report).toContain('Always refused: postCrash cashout.')
  expect(report).toContain('Codes never answered: internal.')
})

it('reports a recording without the document', () => {
  const { exchanges, ...rest } = recording(exchange('GET', '/api/crash'))
  expect(coverage({ ...rest, exchanges: exchanges.slice(1) }).missing).toHaveLength(1)
})
