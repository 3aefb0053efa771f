import { readFileSync } from 'node:fs'
import { validate } from '@hyperjump/json-schema/openapi-3-1'
import { describe, expect, it } from 'vitest'
import { STATUS } from '../../../src/core/refusal.ts'
import { openApi } from '../../../src/reference/document.ts'
import { LIMITS } from '../../../src/reference/operation.ts'
import { OPERATIONS } from '../../../src/reference/operations.ts'
import type { JsonSchema } from '../../../src/reference/schemas.ts'
import { referenceYaml } from '../../../src/reference/yaml.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const document = openApi(OPERATIONS)
const { schemas } = document.components

/** The paths of fields without a description. */
function undescribed(schema: JsonSchema, at: string): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema
  const within = [items, additionalProperties, ...anyOf, ...oneOf]
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(isDescribed(field) ? [] : [`${at}.${name}`]),
      ...undescribed(field, `${at}.${name}`),
    ]),
    ...within.flatMap((inner) => (typeof inner === 'object' ? undescribed(inner, `${at}[]`) : [])),
  ]
}

function isDescribed({ description, $ref }: JsonSchema): boolean {
  return description !== undefined || $ref !== undefined
}

describe('the API reference', () => {
  it('is up to date (npm run reference writes it)', () => {
    expect(read('reference/openapi.yaml')).toBe(referenceYaml())
  })

  it('is an OpenAPI 3.1 document', async () => {
    const output = await validate(
      'https://spec.openapis.org/oas/3.1/schema-base',
      document as never,
    )
    expect(output.valid).toBe(true)
    expect(document.info.version).toBe('1.0.0')
  })

  it('describes every field of every request and answer', () => {
    const silent = Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))
    expect(silent).toEqual([])
  })

  it('lists every refusal with its code, its status and its calls', () => {
    const responses = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => Object.entries(operation.responses))
    for (const [code, status] of Object.entries(STATUS)) {
      expect(document.info.description).toContain(`| \`${code}\` | ${status} |`)
      expect(schemas[`Refusal_${code}`]?.description).toContain(String(status))
      const ref = `#/components/schemas/Refusal_${code}`
      const at = responses.filter(([, response]) => JSON.stringify(response).includes(`"${ref}"`))
      // Another method is not an operation: it is covered by every path's 4XX.
      const statuses = code === 'method_not_allowed' ? [] : [String(status)]
      expect([code, ...new Set(at.map(([found]) => found))]).toEqual([code, ...statuses])
    }
  })

  it('says what a query parameter means in each action that takes it', () => {
    const described = (path: string, name: string) =>
      document.paths[path]?.['get']?.parameters?.find((parameter) => parameter.name === name)
        ?.description
    expect(described('/api/crash', 'roundId')).toMatch(
      /`verify-seeds`: .*newest twelve.* `bets`: .*current round/,
    )
    expect(described('/api/wallet/statement', 'limit')).not.toContain('`:')
  })

  it('has an example of every call, every refusal and every request body', () => {
    for (const { calls } of OPERATIONS) {
      for (const { body, example } of calls) if (body) expect(example.body).toBeDefined()
    }
    for (const [name, { examples }] of Object.entries(schemas)) {
      if (name.startsWith('Refusal_')) expect([name, examples]).toEqual([name, expect.any(Array)])
    }
  })

  it('names the limit of a network beside that of the caller', () => {
    const { description } = document.paths['/api/lootbox-nft']!['post']!
    expect(description).toContain(
      'Limit: 20 calls per second for each wallet or client address, and `boxes` under Limits.',
    )
  })

  it('states the limits of production', () => {
    const production = read('wrangler.toml').split('[env.production]')[1]
    for (const { binding, perSecond } of Object.values(LIMITS)) {
      const limit = `name = "${binding}"\\nnamespace_id = "\\d+"\\nsimple = { limit = ${perSecond * 10}, period = 10 }`
      expect(production).toMatch(new RegExp(limit))
    }
  })
})
