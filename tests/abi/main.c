/* SPDX-License-Identifier: MIT */
/*
 * This program calls code that was compiled with an old header, and code that was compiled with
 * another header.
 */
void old_work(int n);
void new_work(int n);

int main(void)
{
	old_work(7);
	new_work(5);
	return 0;
}
