// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Code that an account with a key delegates to (EIP-7702). It carries out several calls or none, and leaves
/// signatures to the key: it has no ERC-1271.
contract BatchAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error OnlyItself();
    error CallFailed(uint256 index);

    receive() external payable {}

    function execute(Call[] calldata calls) external {
        require(msg.sender == address(this), OnlyItself());
        for (uint256 i = 0; i < calls.length; i++) {
            (bool isDone,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(isDone, CallFailed(i));
        }
    }
}
