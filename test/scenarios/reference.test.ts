import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { referenceYaml } from '../../src/reference/yaml.ts'
import { startService, type StartedService } from './started-service.ts'

let service: StartedService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('a started service', () => {
  it('serves its API reference', async () => {
    const response = await fetch(`${service.baseUrl}/reference/openapi.yaml`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/yaml/)
    expect(await response.text()).toBe(referenceYaml())
  })

  it('serves it as a styled page that runs no third-party scripts', async () => {
    const response = await fetch(`${service.baseUrl}/reference`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    const page = await response.text()
    const style = /rel="stylesheet" href="([^"]+)"/.exec(page)?.[1]
    const styled = await fetch(`${service.baseUrl}${style}`)
    expect([styled.status, styled.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/css/),
    ])
  })
})
