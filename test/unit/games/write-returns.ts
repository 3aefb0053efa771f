// npm run returns: writes reference/returns.md from the rules.
import { writeFileSync } from 'node:fs'
import { returnsPage } from './returns.ts'

writeFileSync(new URL('../../../reference/returns.md', import.meta.url), returnsPage())
