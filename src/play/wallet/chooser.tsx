import { Modal } from '../components/modal.tsx'
import { useStore } from '../store.ts'
import { isPhone, WALLET_APPS } from './apps.ts'
import { announced, installedWallets, type InstalledWallet } from './installed.ts'
import './chooser.css'

const onPhone = isPhone(navigator)
/** The title if no wallet was found. */
const TITLE = onPhone ? 'Open your wallet app' : 'Get a wallet'
const WALLET_LIST = 'https://ethereum.org/wallets/find-wallet/'

export interface ChooserProps {
  onChoose: (wallet: InstalledWallet) => void
  onClose: () => void
}

/** Lists the browser's wallets, or says how to get one. */
export default function Chooser({ onChoose, onClose }: ChooserProps) {
  // Drawn again when a wallet announces itself late.
  useStore(announced)
  const wallets = installedWallets()
  const isFound = wallets.length > 0
  return (
    <Modal title={isFound ? 'Choose your wallet' : TITLE} onClose={onClose}>
      {isFound ? (
        <ul class="wallets">
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <Choice
                wallet={wallet}
                isTwin={hasTwin(wallet, wallets)}
                onChoose={() => onChoose(wallet)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <NoWallet />
      )}
      <div class="row">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Modal>
  )
}

interface ChoiceProps {
  wallet: InstalledWallet
  isTwin: boolean
  onChoose: () => void
}

function Choice({ wallet, isTwin, onChoose }: ChoiceProps) {
  const { name, icon, rdns } = wallet
  return (
    <button type="button" onClick={onChoose}>
      {icon === null ? <span class="no-icon" /> : <img src={icon} alt="" width="32" height="32" />}
      <span>
        {name}
        {isTwin && <small>{rdns}</small>}
      </span>
    </button>
  )
}

/** Whether another wallet has the same name. */
function hasTwin({ id, name }: InstalledWallet, wallets: InstalledWallet[]): boolean {
  return wallets.some((other) => other.id !== id && other.name === name)
}

function NoWallet() {
  if (!onPhone) {
    return (
      <>
        <p>
          Fairhouse has no accounts. You sign in with a crypto wallet: an extension of your browser
          that keeps your keys. No wallet was found in this browser.
        </p>
        <p class="advice">
          Install one, for example from the list on <Link href={WALLET_LIST}>ethereum.org</Link>. It
          appears here once it is running; some wallets need the page to be reloaded.
        </p>
      </>
    )
  }
  const page = new URL(location.href)
  return (
    <>
      <p>
        You sign in with a crypto wallet. On a phone, open this page in your wallet app’s own
        browser:
      </p>
      <ul class="wallets">
        {WALLET_APPS.map(({ name, link }) => (
          <li key={name}>
            <Link href={link(page)}>Open in {name}</Link>
          </li>
        ))}
      </ul>
      <p class="advice">
        Another wallet? Open its browser and enter this page’s address. No wallet yet?{' '}
        <Link href={WALLET_LIST}>Find one on ethereum.org</Link>.
      </p>
    </>
  )
}

function Link({ href, children }: { href: string; children?: unknown }) {
  return (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  )
}
