interface View {
  path: string
  label: string
}

/** The links to a page's views. */
export function NavLinks({ views, current }: { views: readonly View[]; current: View }) {
  return (
    <nav aria-label="Main">
      <ul>
        {views.map(({ path, label }) => (
          <li key={path}>
            <a href={`#/${path}`} aria-current={path === current.path ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
