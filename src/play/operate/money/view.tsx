import type { ViewProps } from '../views.ts'
import { Books } from './books.tsx'
import { Reconciliation } from './reconciliation.tsx'

/** The vault's holdings and their owners, and each day's results. */
export default function MoneyView(props: ViewProps) {
  return (
    <div class="column">
      <Reconciliation />
      <Books {...props} />
    </div>
  )
}
