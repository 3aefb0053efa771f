import { describeStories } from './rehearsals.ts'
import * as crash from './stories/crash.ts'
import * as log from './stories/log.ts'
import * as platform from './stories/platform.ts'

describeStories({ ...crash, ...log, ...platform })
