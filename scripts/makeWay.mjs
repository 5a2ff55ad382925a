/**
 * What is loaded before tests that do not watch the clock: their process, and those that it starts, take the processor only
 * where those that do watch it leave it.
 */
import { setPriority } from 'node:os';

setPriority(15);
