/** A wallet in short, as a link to its own view. Hovering shows it whole. */
export function Wallet({ wallet }: { wallet: string }) {
  return (
    <a class="address" href={`#/players/${wallet}`} title={wallet}>
      {`${wallet.slice(0, 6)}…${wallet.slice(-4)}`}
    </a>
  )
}
