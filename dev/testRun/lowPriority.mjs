/**
 * Loaded before tests that do not watch the clock. Their processes, and those that they start, run at a
 * slightly lower CPU priority
 * than the tests that do. Slightly: at the lowest priority, any busy program on the machine would stop them
 * altogether.
 */
import { setPriority } from 'node:os';

setPriority(5);
