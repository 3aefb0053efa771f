import { answerWithin } from '../../src/calls/call.ts'
import { announceTerms } from '../../src/calls/log-terms.ts'
import { appendToLog, findInLog } from '../../src/calls/public-log.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { logEvent, logFault } from '../../src/log.ts'
import { isNextVersion, loggedVersion, versionEntry } from '../../src/operator/versions.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ModesStore } from './modes-store.ts'

/** The public log is waited for at most this long. */
const LOG_ANSWER_MS = 1_000

/**
 * Takes over the versions that the public log has and the store lacks, because the object was restored to an earlier
 * time. Otherwise switches closed since then would be open again, and version numbers would be used twice.
 */
export class LoggedVersions {
  readonly #kernel: Kernel
  readonly #modes: ModesStore
  readonly #env: Env
  /** The comparison with the public log, made once after each start. */
  #comparing: Promise<void> | null = null

  constructor(kernel: Kernel, modes: ModesStore, env: Env) {
    this.#kernel = kernel
    this.#modes = modes
    this.#env = env
  }

  /** Waits until the store has every logged version. While the log doesn't answer, the stored versions hold. */
  async catchUp(): Promise<void> {
    this.#comparing ??= this.#compare()
    await this.#comparing
  }

  /** Publishes the versions that the public log may lack, in their order. Safe to repeat. */
  async publish(): Promise<void> {
    if (!loadConfig(this.#env).log) return
    for (const { version, actId } of this.#modes.unpublished()) {
      await announceTerms(this.#env, version.terms)
      const entry = versionEntry(version, actId)
      const logged = await appendToLog(this.#env, entry)
      // The log has another if this object was restored to an earlier time and reuses the numbers of its versions.
      const isSame = logged.entry['hash'] === version.hash
      invariant(isSame, `the log has another version ${version.number}`)
      this.#modes.markPublished(version)
    }
  }

  /**
   * All readers wait for the same search, and together no longer than its deadline. A search that fails is repeated.
   */
  async #compare(): Promise<void> {
    const search = this.#adopt()
    search.catch(() => {
      this.#comparing = null
    })
    try {
      await answerWithin(LOG_ANSWER_MS, search)
    } catch (fault) {
      logFault('control_log_unread', fault, { object: this.#kernel.owner.object })
    }
  }

  async #adopt(): Promise<void> {
    if (!loadConfig(this.#env).log) return
    for (;;) {
      const latest = this.#modes.latest()
      const id = String((latest?.number ?? 0) + 1)
      const logged = await findInLog(this.#env, 'control', id)
      const found = logged && loggedVersion(logged.entry)
      // A version that was made meanwhile.
      if (this.#modes.latest()?.number !== latest?.number) continue
      if (!found || !isNextVersion(latest, found.version)) return
      const { version, actId } = found
      this.#kernel.transact(() => this.#modes.adopt(version, actId))
      logEvent('control_version_adopted', {
        object: this.#kernel.owner.object,
        number: version.number,
      })
    }
  }
}
