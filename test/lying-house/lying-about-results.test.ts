import { expectCaught, useHouses } from './caught.ts'
import { LIES_ABOUT_RESULTS } from './lies/lies.ts'

useHouses()

expectCaught(LIES_ABOUT_RESULTS)
