/** Icons in the colour of the surrounding text. Their button's label gives the meaning. */

export function Gem() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M6 4h12l4 6-10 11L2 10z" fill="currentColor" opacity="0.35" />
      <path d="M6 4h12l-3 6H9zM9 10h6l-3 11z" fill="currentColor" />
    </svg>
  )
}

export function Mine() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path
        d="M12 2v20M2 12h20M5 5l14 14M19 5 5 19"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      />
      <circle cx="12" cy="12" r="6.6" fill="currentColor" />
    </svg>
  )
}
