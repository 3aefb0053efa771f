import { app } from './app.ts'
import { sweep } from './sweep.ts'

export { Control } from '../durable-objects/control.ts'
export { CrashRound } from '../durable-objects/crash-round.ts'
export { CrashStream } from '../durable-objects/crash-stream.ts'
export { CrashTable } from '../durable-objects/crash-table.ts'
export { Daybook } from '../durable-objects/daybook.ts'
export { Exporter } from '../durable-objects/exporter.ts'
export { Health } from '../durable-objects/health.ts'
export { Ledger } from '../durable-objects/ledger.ts'
export { LootboxDay } from '../durable-objects/lootbox-day.ts'
export { PartnerIds } from '../durable-objects/partner-ids.ts'
export { PartnerLimit } from '../durable-objects/partner-limit.ts'
export { Payment } from '../durable-objects/payment.ts'
export { Relayer } from '../durable-objects/relayer.ts'
export { Reprojection } from '../durable-objects/reprojection.ts'
export { SharedPost } from '../durable-objects/shared-post.ts'
export { Solvency } from '../durable-objects/solvency.ts'
export { TransparencyLog } from '../durable-objects/transparency-log.ts'
export { Treasury } from '../durable-objects/treasury.ts'
export { VaultWatch } from '../durable-objects/vault-watch.ts'

export default {
  fetch: app.fetch,
  scheduled: (_controller, env) => sweep(env),
} satisfies ExportedHandler<Env>
