import { MODES, type Mode } from '../../../operator/modes.ts'
import { authorityOf, includesRole, type Role } from '../../../operator/roles.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import type { Wish } from '../act-dialog.tsx'
import type { ServiceState } from '../operator.ts'
import { VERBS } from '../verbs.ts'

interface Props {
  state: ServiceState
  onWish: (wish: Wish) => void
}

/** The switches of the service, with the buttons that the operator's role allows. */
export function Switches({ state: { switches, version, operator }, onWish }: Props) {
  const modes: Record<string, Mode> = version?.modes ?? {}
  const terms = Object.entries(version?.terms ?? {})
  return (
    <Panel title="Switches">
      <div class="scrolled" tabindex={0} role="region" aria-label="All switches">
        <table class="table">
          <caption class="visually-hidden">All switches</caption>
          <thead>
            <tr>
              <th scope="col">Switch</th>
              <th scope="col">Mode</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {switches.map((name) => {
              const mode = modes[name] ?? 'open'
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class={mode === 'open' ? '' : 'bad'}>{mode}</td>
                  <td>
                    <div class="buttons">
                      {MODES.filter(
                        (each) => each !== mode && maySet(operator.role, name, each),
                      ).map((each) => (
                        <button
                          key={each}
                          type="button"
                          onClick={() => onWish({ act: 'mode', target: `${name}=${each}` })}
                        >
                          {VERBS[each]}
                          <span class="visually-hidden"> {name}</span>
                        </button>
                      ))}
                    </div>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {terms.length > 0 && (
        <dl class="facts">
          {terms.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{JSON.stringify(value)}</dd>
            </>
          ))}
        </dl>
      )}
      <p class="hint">
        {version ? (
          <>
            Version {version.number}, in effect from <Time at={version.takesEffectAt} />.
          </>
        ) : (
          'Nothing has ever been set.'
        )}{' '}
        “all” leaves out the withdrawals.
      </p>
    </Panel>
  )
}

function maySet(role: Role, name: string, mode: Mode): boolean {
  return includesRole(role, authorityOf({ act: 'mode', target: `${name}=${mode}` }).role)
}
