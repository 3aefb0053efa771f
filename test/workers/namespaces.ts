import { env } from 'cloudflare:workers'

export type Namespace = DurableObjectNamespace<Rpc.DurableObjectBranded & DurableObject>

/** The namespaces of all classes of objects. */
export const NAMESPACES = Object.values<unknown>({ ...env }).filter(
  (binding): binding is Namespace => binding?.constructor === env.LEDGER.constructor,
)
