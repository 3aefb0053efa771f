import { describeStories } from './rehearsals.ts'
import * as chain from './stories/chain.ts'
import * as money from './stories/money.ts'

describeStories({ ...chain, ...money })
