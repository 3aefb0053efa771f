// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Vault} from "../src/Vault.sol";

/// @notice A contract that deposits ETH for itself.
contract Depositor {
    Vault private immutable VAULT;

    constructor(Vault vault) payable {
        VAULT = vault;
    }

    /// @notice Deposits twice in one transaction.
    function depositBoth(uint256 first, uint256 second) external {
        VAULT.deposit{value: first}(address(0), first);
        VAULT.deposit{value: second}(address(0), second);
    }

    /// @notice Deposits one wei more than the vault holds, so mining it again may deposit another amount.
    function depositFickle() external {
        uint256 amount = address(VAULT).balance + 1;
        VAULT.deposit{value: amount}(address(0), amount);
    }
}
