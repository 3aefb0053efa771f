import { Unfinished } from '../unfinished.ts'
import type { Payment } from './renting.ts'

/** A wallet's payment that has not rented anything yet. */
export const payments = new Unfinished<Payment>('ad-payment')
