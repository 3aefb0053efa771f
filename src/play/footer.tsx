const LINKS: [label: string, href: string][] = [
  ['Rules', '#/help'],
  ['Fairness', '#/help/fairness'],
  ['Returns', '#/help/returns'],
  ['API', '/reference'],
  ['Limits', '#/limits'],
  ['Support', '/support'],
  ['Status', '#/status'],
]

/** Links to further reading, at the end of every page. */
export function Footer() {
  return (
    <footer class="foot">
      <nav aria-label="About">
        <ul>
          {LINKS.map(([label, href]) => (
            <li key={href}>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  )
}
