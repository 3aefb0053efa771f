// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Vault} from "../src/Vault.sol";

/// A contract wallet that accepts signatures of its owner's key.
contract ContractWallet is IERC1271 {
    address private immutable SIGNER;

    constructor(address signer) {
        SIGNER = signer;
    }

    receive() external payable virtual {}

    function deposit(Vault vault, uint256 amount) external {
        vault.deposit{value: amount}(address(0), amount);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        bool isSigned = ecrecover(hash, uint8(signature[64]), r, s) == SIGNER;
        return isSigned ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
