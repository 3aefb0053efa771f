import type { Step } from '../../fairness/check.ts'

/** Lists the steps of a computation, each with its value. */
export function Computation({ steps }: { steps: readonly Step[] }) {
  return (
    <dl class="steps">
      {steps.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}
