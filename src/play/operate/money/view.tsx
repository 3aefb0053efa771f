import type { ViewProps } from '../views.ts'
import { Books } from './books.tsx'
import { Reconciliation } from './reconciliation.tsx'

/** What the vault holds and who owns it, and what each day has brought. */
export default function MoneyView(props: ViewProps) {
  return (
    <div class="column">
      <Reconciliation />
      <Books {...props} />
    </div>
  )
}
