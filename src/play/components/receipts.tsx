import { keptReceipts } from '../receipts.ts'
import { Copied } from './copied.tsx'

interface Props {
  wallet: string | undefined
  /** Their subject; all of the wallet's receipts without it. */
  abouts?: readonly string[]
}

/** The receipts that this browser keeps, to copy and to download. Shows nothing without any. */
export function Receipts({ wallet, abouts }: Props) {
  const receipts = wallet === undefined ? [] : keptReceipts(wallet, abouts)
  if (receipts.length === 0) return null
  const [first = ''] = receipts
  const name = receipts.length === 1 ? 'receipt' : `${receipts.length} receipts`
  return (
    <p class="receipts">
      <span>Signed by the house:</span>
      <Copied text={receipts.join('\n')} shown={`${name} …${first.slice(-6)}`} name={name} />
      <a
        download={`fairhouse-${[...(abouts ?? ['all'])].join('-').replaceAll('/', '-')}.txt`}
        href={`data:text/plain,${receipts.join('%0A')}`}
      >
        Download
      </a>
    </p>
  )
}
