import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { onTestFinished } from 'vitest'
import { health } from '../../src/calls/objects.ts'
import { currentTerms } from '../../src/calls/terms.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'

/** Changes the router's configuration until the test ends. */
export function changeConfig(change: Partial<Config>): void {
  changeUntilTheEnd(loadConfig(env), change)
}

/**
 * Changes the configuration of all objects until the test ends. They have an environment of their own.
 * @param stub any of the objects
 */
export async function changeObjectConfig(
  stub: DurableObjectStub,
  change: (config: Config) => Partial<Config>,
): Promise<void> {
  await runInDurableObject(stub, (object) => {
    const config = loadConfig(Reflect.get(object, 'env') as Env)
    changeUntilTheEnd(config, change(config))
  })
}

/** Has rounds take their pepper from drand, in the configuration of all objects. */
export const expectBeacons = () =>
  changeObjectConfig(health(env), ({ crash }) => ({
    crash: { ...crash, pepper: 'drand-quicknet' },
  }))

/** An isolate hashes its terms once, so they are hashed before the change: other files share the isolate. */
function changeUntilTheEnd(config: Config, change: Partial<Config>): void {
  currentTerms(config)
  const before = { ...config }
  Object.assign(config, change)
  onTestFinished(() => void Object.assign(config, before))
}
